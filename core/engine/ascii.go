package engine

// Lower returns text with A to Z in lower case, for words of protocols. The tables of
// strings.ToLower, which knows all alphabets, are 2 KB of the download.
func Lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
