//go:build !js

package chrome

import (
	"context"
	"maps"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Freeze puts the page to sleep as Chrome does with a tab in the background:
// it sees the event freeze, and then its timers and tasks stop.
func (p *Page) Freeze() {
	p.t.Helper()
	p.lifecycle(page.SetWebLifecycleStateStateFrozen)
}

// Thaw wakes a frozen page: it sees the event resume.
func (p *Page) Thaw() {
	p.t.Helper()
	p.lifecycle(page.SetWebLifecycleStateStateActive)
}

func (p *Page) lifecycle(state page.SetWebLifecycleStateState) {
	p.t.Helper()
	Call(p, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
}

// Offline cuts the page off the network, or connects it again: requests fail,
// navigator.onLine changes and its events fire. Chrome spares what already runs,
// so follow it with [Site.Cut] where open streams should break as well.
func (p *Page) Offline(offline bool) {
	p.t.Helper()
	p.Do(
		chromedp.Func(
			func(ctx context.Context, t *chromedp.Target) error { return EmulateOffline(ctx, t, offline) }))
}

// EmulateOffline is what [Page.Offline] does, for a tab that no [Page] stands for.
func EmulateOffline(ctx context.Context, t *chromedp.Target, offline bool) error {
	// Two commands: one acts on the traffic, the other on what the page
	// is told about it. Older browsers know neither in this form, or refuse
	// its parameters (-32602); one command does both there.
	conditions := map[string]any{"offline": offline, "latency": 0, "downloadThroughput": -1,
		"uploadThroughput": -1}
	rule := maps.Clone(conditions)
	rule["urlPattern"] = "" // any request
	_, err := cdp.Call(ctx, t, networkByRule,
		map[string]any{"offline": offline, "matchedNetworkConditions": []any{rule}})
	if err == nil {
		_, err = cdp.Call(ctx, t, networkState, conditions)
	}
	if err != nil {
		_, err = cdp.Call(ctx, t, networkConditions, conditions)
	}
	return err
}

// The commands of Offline. Their parameters differ between versions of the
// browser, so that they are not those of the protocol package, which knows one.
var (
	networkByRule     = cdp.Command[map[string]any, cdp.Empty]{Method: "Network.emulateNetworkConditionsByRule"}
	networkState      = cdp.Command[map[string]any, cdp.Empty]{Method: "Network.overrideNetworkState"}
	networkConditions = cdp.Command[map[string]any, cdp.Empty]{Method: "Network.emulateNetworkConditions"}
)

// phoneWidth is the widest viewport that is emulated as a phone.
const phoneWidth = 600

// Viewport sets the size of the page in CSS pixels and the user's preference
// for a dark or a light page. Up to 600 pixels wide it acts as a phone, so that
// the viewport meta tag counts.
func (p *Page) Viewport(width, height int, dark bool) {
	p.t.Helper()
	p.drawn()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	Call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1, Mobile: width <= phoneWidth,
	})
	Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// PrefersReducedMotion sets the user's preference for less motion, until the next [Page.Viewport].
func (p *Page) PrefersReducedMotion() {
	p.t.Helper()
	Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
}

// Click clicks the first element that matches a CSS selector, once it is visible.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.drawn()
	p.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Type types text into the first element that matches a CSS selector, key by key.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.drawn()
	p.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}
