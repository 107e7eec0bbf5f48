//go:build !js

package chrome

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"

	"github.com/chromedp/chromedp"
)

// trusted is the key of the authority whose certificates the browser takes, "" for none.
var trusted string

// Trust has the browser of this test binary take certificates in whose chain that one
// is, which no system knows. Call it before Main. Nothing is written to a store of the
// system's or the user's: it is a flag of this one process.
func Trust(authority *x509.Certificate) {
	sum := sha256.Sum256(authority.RawSubjectPublicKeyInfo)
	trusted = base64.StdEncoding.EncodeToString(sum[:])
}

func trustOptions() []chromedp.ExecAllocatorOption {
	if trusted == "" {
		return nil
	}
	return []chromedp.ExecAllocatorOption{chromedp.Flag("ignore-certificate-errors-spki-list", trusted)}
}
