// Package text measures, cleans, wraps and outlines the words on the picture, with the fonts that it embeds.
//
// Names are set in Inter SemiBold, the rest in Inter Regular; Han, kana and Hangul come from DroidSansFallback. What is
// measured here is what both pens draw: the raster pen draws these very outlines, the SVG pen pins each line to the
// measured length. The licences lie beside the fonts in folder fonts.
//
// It knows no shapes, colours or flowcharts.
//
// # Decisions
//
//   - One fallback font of 3.4 MB instead of Noto CJK (16 MB and more per weight): every letter of Chinese, Japanese and
//     Korean in common use is there, in one weight. Hebrew and Arabic come from Noto Sans, in 270 KB. There are no Indic
//     letters; a letter that no font has becomes a visible box, so that nothing is lost silently. Emoji and other symbols
//     without a glyph are left out.
//   - No shaping engine: with kerning and precomposed letters, Latin, Greek, Cyrillic and CJK are right without one. Words
//     to the left are put in order here (order.go), Arabic letters in their joined forms, and vowel marks are left out:
//     legible, not calligraphy. SVG keeps such text as it is read; viewers order and join it themselves.
//   - Fonts are parsed when the first line is measured, not when the program starts.
package text
