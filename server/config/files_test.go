package config

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// writePair makes a self-signed certificate and its key in dir.
func writePair(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, "a")
	_, otherKey := writePair(t, dir, "b")

	c, err := Load([]string{"--tls-cert=" + cert}, []string{"QUEEN_SQS_TLS_KEY=" + key})
	if err != nil {
		t.Fatal(err)
	}
	if c.TLS == nil || len(c.TLS.Certificates) != 1 || len(c.TLS.NextProtos) != 1 || c.TLS.NextProtos[0] != "http/1.1" {
		t.Errorf("got %+v", c.TLS)
	}
	for _, pair := range [][2]string{{cert, otherKey}, {key, cert}, {cert, cert}} {
		_, err := Load(nil, []string{"QUEEN_SQS_TLS_CERT=" + pair[0], "QUEEN_SQS_TLS_KEY=" + pair[1]})
		if err == nil || !strings.Contains(err.Error(), "QUEEN_SQS_TLS_CERT and QUEEN_SQS_TLS_KEY cannot be used") {
			t.Errorf("%q: %v", pair, err)
		}
	}
}

func TestHandleSecretIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "new")
	first, generated, err := LoadOrCreateHandleSecret(dir)
	if err != nil || !generated || len(first) != 32 {
		t.Fatalf("%d bytes, generated %v: %v", len(first), generated, err)
	}
	info, err := os.Stat(filepath.Join(dir, "handle-secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	second, generated, err := LoadOrCreateHandleSecret(dir)
	if err != nil || generated || !bytes.Equal(first, second) {
		t.Errorf("the second call: generated %v, same %v: %v", generated, bytes.Equal(first, second), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestHandleSecretTooShort(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "s3cr3t"} {
		if err := os.WriteFile(filepath.Join(dir, "handle-secret"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := LoadOrCreateHandleSecret(dir)
		if err == nil || !strings.Contains(err.Error(), "handle-secret has") || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", content, err)
		}
		kept, err := os.ReadFile(filepath.Join(dir, "handle-secret"))
		if err != nil || string(kept) != content {
			t.Errorf("the file was changed to %q: %v", kept, err)
		}
	}
}

func TestHandleSecretNotAFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadOrCreateHandleSecret(file); err == nil {
		t.Error("a file was taken for a folder")
	}
	if err := os.Mkdir(filepath.Join(dir, "handle-secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadOrCreateHandleSecret(dir); err == nil {
		t.Error("a folder was taken for the secret")
	}
}

// TestHandleSecretRace: all that start at once answer one secret, and one of
// them made it.
func TestHandleSecretRace(t *testing.T) {
	dir := t.TempDir()
	const n = 16
	secrets, made := make([][]byte, n), make([]bool, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if secrets[i], made[i], err = LoadOrCreateHandleSecret(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	makers := 0
	for i := range n {
		if made[i] {
			makers++
		}
		if !bytes.Equal(secrets[i], secrets[0]) {
			t.Error("two secrets")
		}
	}
	if makers != 1 {
		t.Errorf("%d say that they made it", makers)
	}
}
