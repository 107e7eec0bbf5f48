//go:build !js

package chrome

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"strings"

	"github.com/chromedp/chromedp"
)

// authorities are those that browsers of this process trust, beside the system's.
var authorities []*x509.Certificate

// Trust has browsers that are started from now on take certificates in whose chain that
// one is, which no system knows. Nothing is written to a store of the system's or the
// user's: it is a flag of their processes.
func Trust(authority *x509.Certificate) { authorities = append(authorities, authority) }

// trusted is the flag.
func trusted() []chromedp.ExecAllocatorOption {
	var keys []string
	for _, authority := range authorities {
		sum := sha256.Sum256(authority.RawSubjectPublicKeyInfo)
		keys = append(keys, base64.StdEncoding.EncodeToString(sum[:]))
	}
	if len(keys) == 0 {
		return nil
	}
	return []chromedp.ExecAllocatorOption{
		chromedp.Flag("ignore-certificate-errors-spki-list", strings.Join(keys, ","))}
}
