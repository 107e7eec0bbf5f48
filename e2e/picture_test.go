//go:build !js

package e2e

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

var pictureOf = flag.Bool("picture", false, "write docs/demo.gif anew, from the demo's first page")

// TestPicture writes docs/demo.gif, the moving picture of the README: `make picture`.
func TestPicture(t *testing.T) {
	if !*pictureOf {
		t.Skip("only with -picture")
	}
	_, url := newDemo(t, demosite.Options{})
	page := chrome.OpenWindow(t, url+"/visit")
	page.Viewport(960, 660, false)
	page.Navigate(url + "/")
	page.WaitFor(hook("official") + `?.dataset.standing === "counting"`)
	var film film
	shoot := func() { film.add(t, chrome.Run(page, chromedp.CaptureScreenshot())) }
	for chrome.Eval[string](page, hook("stage")+`.dataset.phase`) != "ended" {
		shoot()
	}
	shoot()
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, film.gif()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "docs", "demo.gif"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("docs/demo.gif: %d frames, %d bytes", len(film.shots), out.Len())
}

// A film is what the page showed, and when.
type film struct {
	shots []image.Image
	times []time.Time
}

func (f *film) add(t *testing.T, shot []byte) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	f.shots, f.times = append(f.shots, picture), append(f.times, time.Now())
}

// last is how long the end is shown before it begins again, in hundredths of a second.
const last = 400

// gif has of each shot what is new in it.
func (f *film) gif() *gif.GIF {
	palette, index := f.palette()
	bounds := f.shots[0].Bounds()
	made := &gif.GIF{Config: image.Config{ColorModel: palette, Width: bounds.Dx(), Height: bounds.Dy()}}
	before := image.NewPaletted(bounds, palette)
	for i, shot := range f.shots {
		frame := image.NewPaletted(bounds, palette)
		news := image.Rectangle{}
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				at := index[coarse(shot.At(x, y))]
				frame.SetColorIndex(x, y, at)
				if i == 0 || before.ColorIndexAt(x, y) != at {
					news = news.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		delay := last
		if i+1 < len(f.times) {
			delay = int(f.times[i+1].Sub(f.times[i]) / (10 * time.Millisecond))
		}
		before = frame
		if news.Empty() {
			made.Delay[len(made.Delay)-1] += delay
			continue
		}
		made.Image = append(made.Image, frame.SubImage(news).(*image.Paletted))
		made.Delay = append(made.Delay, delay)
	}
	return made
}

// coarse is a colour in 5 bits for each part.
func coarse(c color.Color) [3]uint8 {
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 11), uint8(g >> 11), uint8(b >> 11)}
}

// palette has the colours that the shots have most of, and which of them stands for each.
func (f *film) palette() (color.Palette, map[[3]uint8]uint8) {
	counted := map[[3]uint8]int{}
	exact := map[[3]uint8]map[color.RGBA]int{}
	for _, shot := range f.shots {
		for y := shot.Bounds().Min.Y; y < shot.Bounds().Max.Y; y++ {
			for x := shot.Bounds().Min.X; x < shot.Bounds().Max.X; x++ {
				c := color.RGBAModel.Convert(shot.At(x, y)).(color.RGBA)
				key := coarse(c)
				counted[key]++
				if exact[key] == nil {
					exact[key] = map[color.RGBA]int{}
				}
				exact[key][c]++
			}
		}
	}
	most := slices.SortedFunc(maps.Keys(counted),
		func(a, b [3]uint8) int { return cmp.Compare(counted[b], counted[a]) })
	var palette color.Palette
	for _, key := range most[:min(256, len(most))] {
		colours := exact[key]
		palette = append(palette, slices.MaxFunc(slices.Collect(maps.Keys(colours)),
			func(a, b color.RGBA) int { return cmp.Compare(colours[a], colours[b]) }))
	}
	index := map[[3]uint8]uint8{}
	for key := range counted {
		index[key] = uint8(palette.Index(color.RGBA{key[0]<<3 | 4, key[1]<<3 | 4, key[2]<<3 | 4, 255}))
	}
	for i, key := range most[:len(palette)] {
		index[key] = uint8(i)
	}
	return palette, index
}
