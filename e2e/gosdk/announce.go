//go:build !js

package gosdk

// Announce sends notifications/tools/list_changed to every session, on its
// standalone stream. The list itself stays the same. The SDK gathers changes
// for some 10 ms before it sends one notification for all of them.
func (s *Server) Announce() { addEcho(s.current()) }
