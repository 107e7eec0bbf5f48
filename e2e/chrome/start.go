//go:build !js

package chrome

import "github.com/chromedp/chromedp"

// off are features of Chrome that its automation turns off (chromedp's own default), and the
// popups of its address bar. Chromium 156 draws those as pages, two for each window: no
// story looks at them, and they take more of the machine than most stories.
const off = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"

// StartOptions returns the options that the Chrome at path is started with.
func StartOptions(path string, more ...chromedp.ExecAllocatorOption) []chromedp.ExecAllocatorOption {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("disable-features", off),
	)
	return append(options, more...)
}
