package sigv4

import (
	"testing"
)

// BenchmarkVerify: what verifying costs a request whose key is kept.
//
//	go test -bench . -run - ./server/sigv4
func BenchmarkVerify(b *testing.B) {
	want := map[string]bool{"json post": true, "query form post": true, "get with parameters": true, "presigned get": true, "dot segments": true}
	for _, v := range loadVectors(b) {
		if v.Signer != "aws-sdk-go-v2" || !want[v.Name] {
			continue
		}
		b.Run(v.Name, func(b *testing.B) {
			r, verifier := v.request(), v.verifier(0)
			b.ReportAllocs()
			b.SetBytes(int64(len(r.Body)))
			for b.Loop() {
				if _, err := verifier.Verify(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
