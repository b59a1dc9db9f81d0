package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// What a model is given of one result at most.
const (
	maxOutput = 50 << 10
	maxLines  = 2000
)

// whole is said of a result that is cut for the model. Its card has all of it.
const whole = "\n[The person can open the whole of this.]"

// shorten makes the result of a call fit for a model.
func shorten(output string) string {
	if output = strings.ToValidUTF8(output, "\uFFFD"); fits(output, maxOutput) {
		return output
	}
	return bound(output, maxOutput-len(whole)) + whole
}

func fits(text string, bytes int) bool {
	return len(text) <= bytes && strings.Count(text, "\n") <= maxLines
}

// bound makes a text fit for a model: valid UTF-8 and, if it is longer than this many bytes or maxLines, only its head
// and its tail with a marker between them.
func bound(text string, bytes int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if fits(text, bytes) {
		return text
	}
	const marker = "\n[… %d lines, %d bytes are left out here …]\n"
	half, lines := bytes/2-len(marker), maxLines/2-1
	first := head(text, half, lines)
	last := tail(text[len(first):], half, lines)
	gap := text[len(first) : len(text)-len(last)]
	return first + fmt.Sprintf(marker, strings.Count(gap, "\n"), len(gap)) + last
}

// oneLine makes a text fit for a card: what is no character, or another line, is a space, and of more than maxPreview
// characters the middle is left out: both ends of a path tell what it is.
func oneLine(text string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return ' '
	}, text))
	if len(runes) > maxPreview {
		half := (maxPreview - 1) / 2
		runes = slices.Concat(runes[:half], []rune{'…'}, runes[len(runes)-half:])
	}
	return string(runes)
}

// head is the longest start of text with at most so many bytes and lines, and no half rune.
func head(text string, bytes, lines int) string {
	text = strings.ToValidUTF8(text[:min(len(text), bytes)], "")
	end := 0
	for line := range strings.Lines(text) {
		if lines--; lines < 0 {
			break
		}
		end += len(line)
	}
	return text[:end]
}

// tail is the longest end of text with at most so many bytes and lines, and no half rune.
func tail(text string, bytes, lines int) string {
	text = strings.ToValidUTF8(text[max(0, len(text)-bytes):], "")
	start := len(text)
	for range lines {
		if start == 0 {
			break
		}
		start = strings.LastIndexByte(text[:start-1], '\n') + 1
	}
	return text[start:]
}
