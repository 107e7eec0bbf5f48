//go:build !js

package chrome

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"

	"github.com/chromedp/chromedp"
)

// trusted is what the browser of this test binary is started with for that.
var trusted []chromedp.ExecAllocatorOption

// Trust has the browser of this test binary take certificates in whose chain that one
// is, which no system knows. Call it before Main. Nothing is written to a store of the
// system's or the user's: it is a flag of this one process.
func Trust(authority *x509.Certificate) {
	trusted = append(trusted, TrustOption(authority))
}

// TrustOption is the same for a browser that somebody starts.
func TrustOption(authority *x509.Certificate) chromedp.ExecAllocatorOption {
	sum := sha256.Sum256(authority.RawSubjectPublicKeyInfo)
	return chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(sum[:]))
}
