package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/queen-mq/queen-sqs/server/queen"
	"github.com/queen-mq/queen-sqs/server/sigv4"
)

// credentialForm is how an entry is written, for refusals.
const credentialForm = "accessKeyId:secret or accessKeyId:secret:queenToken"

// setCredentials reads a list separated by commas. Refusals name an entry by its
// place, since any part of it may be a secret.
func setCredentials(c *Config, v value) error {
	for i, entry := range strings.Split(v.text, ",") {
		cred, token, why := parseCredential(entry)
		if why != "" {
			return fmt.Errorf("%s: entry %d %s; write %s, separated by commas", v.from, i+1, why, credentialForm)
		}
		if first := find(c.Credentials, cred.AccessKeyID); first >= 0 {
			return fmt.Errorf("%s: entry %d has the access key id of entry %d; keep one of them", v.from, i+1, first+1)
		}
		c.Credentials = append(c.Credentials, cred)
		c.setToken(cred, token)
	}
	return nil
}

// setCredentialsFile reads the same entries from a file, one a line.
func setCredentialsFile(c *Config, v value) error {
	data, err := os.ReadFile(v.text)
	if err != nil {
		return fmt.Errorf("%s cannot be read (%v); set it to a file with one %s a line", v.from, err, credentialForm)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	lines := map[string]int{}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		cred, token, why := parseCredential(line)
		if why != "" {
			return fmt.Errorf("%s: line %d of %s %s; write %s", v.from, n, v.text, why, credentialForm)
		}
		if first := lines[cred.AccessKeyID]; first > 0 {
			return fmt.Errorf("%s: line %d of %s has the access key id of line %d; keep one of them", v.from, n, v.text, first)
		}
		lines[cred.AccessKeyID] = n
		if i := find(c.Credentials, cred.AccessKeyID); i >= 0 {
			return fmt.Errorf("%s: line %d of %s has the access key id of entry %d of QUEEN_SQS_CREDENTIALS; keep one of them", v.from, n, v.text, i+1)
		}
		c.fileKeys = append(c.fileKeys, cred)
		c.setToken(cred, token)
	}
	if len(c.fileKeys) == 0 {
		return fmt.Errorf("%s: %s has no entries; write one %s a line, or unset it", v.from, v.text, credentialForm)
	}
	return nil
}

// setToken keeps the broker token of an access key that has one of its own.
func (c *Config) setToken(cred sigv4.Credential, token queen.Token) {
	if token == "" {
		return
	}
	if c.Tokens.ByAccessKey == nil {
		c.Tokens.ByAccessKey = map[string]queen.Token{}
	}
	c.Tokens.ByAccessKey[cred.AccessKeyID] = token
}

func find(creds []sigv4.Credential, accessKeyID string) int {
	for i, c := range creds {
		if c.AccessKeyID == accessKeyID {
			return i
		}
	}
	return -1
}

// parseCredential splits an entry on its first two colons. why is the rest of a
// sentence that begins with the entry, and empty when it can be used.
func parseCredential(entry string) (cred sigv4.Credential, token queen.Token, why string) {
	parts := strings.SplitN(entry, ":", 3)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	key := parts[0]
	switch {
	case strings.TrimSpace(entry) == "":
		return cred, "", "is empty"
	case len(parts) == 1:
		return cred, "", "has no colon"
	case key == "":
		return cred, "", "has no access key id"
	case !headerText(key) || strings.ContainsAny(key, "/,"):
		return cred, "", "has an access key id with white space, a slash, a comma or characters outside ASCII"
	case parts[1] == "":
		return cred, "", "has no secret"
	}
	cred = sigv4.Credential{AccessKeyID: key, Secret: parts[1]}
	if len(parts) == 3 {
		if !headerText(parts[2]) {
			return cred, "", "has a token with characters that cannot go into an HTTP header"
		}
		token = queen.Token(parts[2])
	}
	return cred, token, ""
}
