package journal

// Server is what a handshake with a server agreed on: with it, a page that
// loads again goes on without one.
type Server struct {
	Handshake   uint64 // its number: a later handshake has a greater one
	Revision    string
	Result      []byte // of initialize or server/discover, raw
	Client      []byte // what this side said of itself then
	HasSession  bool   // the server gave a session id
	Session     string // that id; secret, "" where it could not be unsealed
	SkipVersion bool   // the server's CORS rules refuse MCP-Protocol-Version
	Endpoint    string // where HTTP+SSE posts; secret like a session id
	Tools       []byte // what calls need to know of its tools, a JSON object of the host's; nil for nothing
}

// Tags of a server's fields, in both parts.
const (
	tagHandshake = iota + 1
	tagRevision
	tagResult
	tagClient
	tagHasSession
	tagSkipVersion
	tagSession // this one and the next are the secret part's
	tagEndpoint

	tagTools // in the plain part
)

// AppendServer returns the two parts of s. secret is nil where there is none.
func AppendServer(s *Server) (plain, secret []byte) {
	plain = appendNumber(appendHeader(nil), tagHandshake, s.Handshake)
	plain = appendField(plain, tagRevision, []byte(s.Revision))
	plain = appendField(plain, tagResult, s.Result)
	plain = appendField(plain, tagClient, s.Client)
	if s.HasSession {
		plain = appendNumber(plain, tagHasSession, 1)
	}
	if s.SkipVersion {
		plain = appendNumber(plain, tagSkipVersion, 1)
	}
	if len(s.Tools) > 0 {
		plain = appendField(plain, tagTools, s.Tools)
	}
	if s.Session != "" || s.Endpoint != "" {
		secret = appendField(appendHeader(nil), tagSession, []byte(s.Session))
		secret = appendField(secret, tagEndpoint, []byte(s.Endpoint))
	}
	return plain, secret
}

// ParseServer reads the two parts; an empty secret leaves its fields empty.
func ParseServer(plain, secret []byte) (Server, error) {
	var s Server
	for i, part := range [][]byte{plain, secret} {
		in := input{p: part}
		if len(part) == 0 {
			continue
		}
		in.header()
		for {
			tag, value, ok := in.field()
			if !ok {
				break
			}
			if tag <= tagTools && (i == 1) != (tag == tagSession || tag == tagEndpoint) {
				// Only what was sealed may say where to post, and as whom.
				return Server{}, ErrCorrupt
			}
			switch tag {
			case tagHandshake:
				s.Handshake = in.number(value)
			case tagRevision:
				s.Revision = string(value)
			case tagResult:
				s.Result = append([]byte(nil), value...)
			case tagClient:
				s.Client = append([]byte(nil), value...)
			case tagHasSession:
				s.HasSession = in.number(value) != 0
			case tagSkipVersion:
				s.SkipVersion = in.number(value) != 0
			case tagSession:
				s.Session = string(value)
			case tagEndpoint:
				s.Endpoint = string(value)
			case tagTools:
				s.Tools = append([]byte(nil), value...)
			}
		}
		if in.err != nil {
			return Server{}, in.err
		}
	}
	return s, nil
}
