package dev.varve.layout.declared;

/**
 * The encoding of a text in a row key.
 *
 * @param width number of bytes, padded with zeros; 0 for an escaped and terminated text, which may
 *     have any length and preserves the order of texts
 * @param transform applied to the text first
 */
public record TextForm(int width, TextTransform transform) {
  public static final TextForm PLAIN = new TextForm(0, TextTransform.none());

  public static TextForm fixed(int width) {
    return new TextForm(width, TextTransform.none());
  }

  String text() {
    String shape = width == 0 ? "" : " width " + width;
    return transform.equals(TextTransform.none()) ? shape : shape + " " + transform.text();
  }
}
