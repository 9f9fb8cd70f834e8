package dev.varve.layout.declared;

/**
 * How a text stands in a row key.
 *
 * @param width how many bytes it takes, filled up with zero bytes; 0 where it is escaped and
 *     terminated instead, so that it may be of any length and sorts as the text does
 * @param transform what is done to the text first
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
