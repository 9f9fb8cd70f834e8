package dev.varve.layout.declared;

/**
 * The encoding of a text in a row key.
 *
 * @param width number of bytes, padded with zeros; 0 for an escaped and terminated text, which may
 *     have any length and preserves the order of texts. {@link KeyRules} rejects negative widths,
 *     together with all other faults of a declaration
 * @param transform applied to the text first
 */
public record TextForm(int width, TextTransform transform) {
  public static final TextForm PLAIN = new TextForm(0, TextTransform.none());

  public static TextForm fixed(int width) {
    return new TextForm(width, TextTransform.none());
  }

  /**
   * Returns what follows the name of a part in its canonical text, such as {@code " width 8
   * reverse"}: empty, or words that each follow a blank.
   */
  String suffix() {
    String shape = width == 0 ? "" : " width " + width;
    return transform.equals(TextTransform.none()) ? shape : shape + " " + transform.text();
  }
}
