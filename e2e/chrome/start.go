//go:build !js

package chrome

import "github.com/chromedp/chromedp"

// off are features of Chrome that its automation turns off (chromedp's own default), and what no
// story looks at. Chromium 156 draws the popups of its address bar as pages, two for each window,
// and starts a renderer ahead for a page that may come: a tab that opens costs a fifth less without it.
const off = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup," +
	"SpareRendererForSitePerProcess"

// StartOptions returns the options that the Chrome at path is started with.
func StartOptions(path string, more ...chromedp.ExecAllocatorOption) []chromedp.ExecAllocatorOption {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("disable-features", off),
	)
	options = append(options, trusted()...)
	return append(options, more...)
}
