package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;

/** Pictures look alike when letters have other edges, and not when a field is missing. */
class PicturesTest {
  private static final Color FIELD = new Color(0xcfe3f7);

  /** Draws fields of 20 pixels with a stroke in each, as of a letter. */
  private static BufferedImage strip(int fields, Color colour, int strokeAt) {
    BufferedImage image = new BufferedImage(400, 40, BufferedImage.TYPE_INT_RGB);
    Graphics2D paint = image.createGraphics();
    paint.setColor(Color.WHITE);
    paint.fillRect(0, 0, 400, 40);
    for (int i = 0; i < fields; i++) {
      paint.setColor(colour);
      paint.fillRect(40 * i, 10, 20, 20);
      paint.setColor(Color.BLACK);
      paint.fillRect(40 * i + strokeAt, 14, 1, 12);
    }
    paint.dispose();
    return image;
  }

  @Test
  void edgesOfLettersMayDiffer() {
    assertThat(Pictures.difference(strip(8, FIELD, 5), strip(8, FIELD, 5))).isNull();
    assertThat(Pictures.difference(strip(8, FIELD, 4), strip(8, FIELD, 5))).isNull();
  }

  @Test
  void aMissingFieldOrAnotherColourIsSeen() {
    assertThat(Pictures.difference(strip(8, FIELD, 5), strip(7, FIELD, 5)))
        .contains("squares of 8 pixels");
    assertThat(Pictures.difference(strip(8, FIELD, 5), strip(8, new Color(0xfbdcb4), 5)))
        .contains("another colour");
    assertThat(
            Pictures.difference(
                strip(8, FIELD, 5), new BufferedImage(400, 60, BufferedImage.TYPE_INT_RGB)))
        .isEqualTo("it had 400 x 40 pixels and has 400 x 60");
  }
}
