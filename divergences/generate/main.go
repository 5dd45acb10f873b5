// Command generate writes what is made of the register rows: the identifiers in
// Go, REGISTER.md, register.json, register.html, and the rows in the README that
// users meet first. "go generate ./divergences" runs it.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// The generated files, from the top of the module.
const (
	identifiersFile = "divergences/ids_gen.go"
	markdownFile    = "divergences/REGISTER.md"
	jsonFile        = "divergences/register.json"
	pageFile        = "divergences/register.html"
	readmeFile      = "README.md"
)

func main() {
	root := flag.String("root", ".", "the top of the module")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "the register cannot be generated:")
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the files that are stale, and names them.
func write(root string) error {
	files, err := render(root)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(root, filepath.FromSlash(name))
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if bytes.Equal(have, files[name]) {
			continue
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return nil
}

// render renders every file: path from the top of the module to text.
func render(root string) (map[string][]byte, error) {
	r, err := load(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{markdownFile: []byte(r.markdown())}
	for name, render := range map[string]func() ([]byte, error){
		identifiersFile: r.identifiers, jsonFile: r.json, pageFile: r.page,
		readmeFile: func() ([]byte, error) {
			readme, err := os.ReadFile(filepath.Join(root, readmeFile))
			if err != nil {
				return nil, err
			}
			return r.readme(readme)
		},
	} {
		if files[name], err = render(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}
