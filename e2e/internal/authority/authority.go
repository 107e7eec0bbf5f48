//go:build !js

// Package authority signs certificates for the servers of one run of the tests. Neither
// it nor they are in any store of the system's, and on a disk only for a server that reads files (PEM).
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"sync"
	"time"
)

// Authority has signed one certificate, for 127.0.0.1.
type Authority struct {
	// Certificate is the authority's own.
	Certificate *x509.Certificate
	server      tls.Certificate
}

// Own is the one of this process.
var Own = sync.OnceValue(func() *Authority {
	root, rootKey, err := certificate(1, nil, nil)
	if err != nil {
		panic(err) // there is no randomness, or a field of the certificates is wrong
	}
	leaf, leafKey, err := certificate(2, root, rootKey)
	if err != nil {
		panic(err)
	}
	return &Authority{root, tls.Certificate{Certificate: [][]byte{leaf.Raw, root.Raw}, PrivateKey: leafKey,
		Leaf: leaf}}
})

// Server is what a server with the certificate is configured by.
func (a *Authority) Server() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.server}}
}

// PEM is the certificate with the authority's behind it, and its key.
func (a *Authority) PEM() (certificates, key []byte) {
	for _, der := range a.server.Certificate {
		certificates = append(certificates, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	der, err := x509.MarshalPKCS8PrivateKey(a.server.PrivateKey)
	if err != nil {
		panic(err) // it is none of the kinds that there are
	}
	return certificates, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// Client is what a Go client that trusts the authority is configured by.
func (a *Authority) Client() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate)
	return &tls.Config{RootCAs: pool}
}

// certificate makes the root where there is no parent, else a leaf.
func certificate(serial int64, parent *x509.Certificate, by *ecdsa.PrivateKey) (
	*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		Subject: pkix.Name{CommonName: "the stories' server"}, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if parent == nil {
		c.Subject.CommonName, c.IsCA, c.KeyUsage, c.ExtKeyUsage, c.IPAddresses = "the stories' authority",
			true, x509.KeyUsageCertSign, nil, nil
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		return nil, nil, err
	}
	made, err := x509.ParseCertificate(der)
	return made, key, err
}
