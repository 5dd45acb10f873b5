package config

import (
	"fmt"
	"strings"
)

// Help is the text of `queen-sqs serve --help`, made from the table of settings.
func Help() string {
	var b strings.Builder
	b.WriteString("Usage: queen-sqs serve [flags]\n\nA flag wins over its environment variable; a blank value counts as unset.\n")
	for _, s := range settings {
		fmt.Fprintf(&b, "\n  --%s (%s)\n", s.Flag, s.Takes)
		fmt.Fprintf(&b, "      %s\n", s.Doc)
		var facts []string
		if s.Name != "" {
			facts = append(facts, "environment: "+s.Name)
		}
		if s.Default != "" {
			facts = append(facts, "default: "+s.Default)
		}
		fmt.Fprintf(&b, "      [%s]\n", strings.Join(facts, ", "))
	}
	return b.String()
}

// Markdown is the table of settings for the README.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| Variable | Flag | Default | Takes | |\n|---|---|---|---|---|\n")
	code := func(s string) string {
		if s == "" {
			return ""
		}
		return "`" + s + "`"
	}
	for _, s := range settings {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", code(s.Name), code("--"+s.Flag), code(s.Default), s.Takes, s.Doc)
	}
	return b.String()
}
