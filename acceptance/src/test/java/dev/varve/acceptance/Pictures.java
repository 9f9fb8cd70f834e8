package dev.varve.acceptance;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;

/**
 * Pictures of the console: whole pages, some of which the documentation shows, and parts without
 * moving numbers, which must look as they did. {@code -Dvarve.pictures=update} replaces both.
 *
 * <p>Two parts look alike if they have nearly the same size, and nearly all squares of some pixels
 * have nearly the same mean colour. So edges of letters may differ, which depend on the version of
 * the browser, but no field, word or colour may be missing.
 */
final class Pictures {
  private static final boolean UPDATES = "update".equals(System.getProperty("varve.pictures"));

  /** Pixels of a square. */
  private static final int SQUARE = 8;

  /** Maximum difference of the mean of one colour of a square, on a scale from 0 to 255. */
  private static final int OFF_MAX = 32;

  /** Maximum share of squares with a larger difference. */
  private static final double SQUARES_OFF_MAX = 0.02;

  /** The share by which width and height may differ. */
  private static final double SIZE_OFF_MAX = 0.03;

  private final Path taken;
  private final Path known = Checkout.root().resolve("acceptance/src/test/pictures");
  private final Path docs = Checkout.root().resolve("docs");

  /**
   * @param taken the folder into which every picture is written
   */
  Pictures(Path taken) {
    this.taken = taken;
  }

  void page(String name, byte[] png) {
    write(taken.resolve(name + ".png"), png);
    String image = "images/console-" + name + ".png";
    if (UPDATES && text(docs.resolve("console.md")).contains(image)) {
      write(docs.resolve(image), png);
    }
  }

  /**
   * Compares a part with the known one of the same name.
   *
   * @throws AssertionError if there is none, or it looks different
   */
  void part(String name, byte[] png) {
    Path now = taken.resolve("part-" + name + ".png");
    Path before = known.resolve(name + ".png");
    write(now, png);
    if (UPDATES) {
      write(before, png);
      return;
    }
    String difference =
        Files.exists(before) ? difference(read(before), image(png)) : "there is none";
    if (difference != null) {
      throw new AssertionError(
          "%s does not look as %s: %s. If it should look so, run with -Dvarve.pictures=update"
              .formatted(now, before, difference));
    }
  }

  /** Returns how two pictures differ, in words; null if they look alike. */
  static @Nullable String difference(BufferedImage before, BufferedImage now) {
    if (isFar(before.getWidth(), now.getWidth()) || isFar(before.getHeight(), now.getHeight())) {
      return "it had %d x %d pixels and has %d x %d"
          .formatted(before.getWidth(), before.getHeight(), now.getWidth(), now.getHeight());
    }
    int columns = Math.min(before.getWidth(), now.getWidth()) / SQUARE;
    int rows = Math.min(before.getHeight(), now.getHeight()) / SQUARE;
    int off = 0;
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        if (differs(before, now, column * SQUARE, row * SQUARE)) {
          off++;
        }
      }
    }
    return off > SQUARES_OFF_MAX * columns * rows
        ? "%d of %d squares of %d pixels have another colour".formatted(off, columns * rows, SQUARE)
        : null;
  }

  private static boolean isFar(int before, int now) {
    return Math.abs(before - now) > Math.max(SQUARE, SIZE_OFF_MAX * before);
  }

  private static boolean differs(BufferedImage before, BufferedImage now, int x, int y) {
    for (int shift = 0; shift <= 16; shift += 8) {
      if (Math.abs(mean(before, x, y, shift) - mean(now, x, y, shift)) > OFF_MAX) {
        return true;
      }
    }
    return false;
  }

  private static int mean(BufferedImage image, int x, int y, int shift) {
    int sum = 0;
    for (int dy = 0; dy < SQUARE; dy++) {
      for (int dx = 0; dx < SQUARE; dx++) {
        sum += image.getRGB(x + dx, y + dy) >> shift & 0xff;
      }
    }
    return sum / (SQUARE * SQUARE);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BufferedImage read(Path file) {
    try {
      return image(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BufferedImage image(byte[] png) {
    try {
      return ImageIO.read(new ByteArrayInputStream(png));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, byte[] png) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, png);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
