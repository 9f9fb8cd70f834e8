package dev.varve.server.influx;

import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.InfluxLines;
import dev.varve.formats.text.OpenText;
import dev.varve.formats.text.OpenTextException;
import dev.varve.model.BatchBuilder;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.ShortLines;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of one body. Lines that a quoted text spans are one record: they are held until
 * the text ends, and accepted or rejected as a whole.
 */
final class BodyLines {
  /** Maximum number of bytes of held lines. */
  private static final int HELD_MAX = ShortLines.MAX;

  private static final String GOES_ON = "goes on with the text that a line before has opened";

  private final InfluxLines format;

  /** Reads lines of known series; null if the dataset gives no handles. */
  private final @Nullable KnownLines known;

  private final BatchBuilder batch;
  private final BadLines bad;
  private final HeldPart memory;
  private final OpenText text = new OpenText();
  private ByteArrayOutputStream held = new ByteArrayOutputStream();

  /** Number of held lines; then the number of the first, and why it is incomplete. */
  private int heldLines;

  private int heldFrom;
  private String heldReason = "";

  /**
   * @param known reads lines of known series; null if none are known
   * @param batch receives the samples of valid lines
   * @param bad receives the lines that cannot be parsed
   * @param memory the reservation that held lines count against
   */
  BodyLines(
      InfluxLines format,
      @Nullable KnownLines known,
      BatchBuilder batch,
      BadLines bad,
      Reservation memory) {
    this.memory = new HeldPart(memory);
    this.format = format;
    this.known = known;
    this.batch = batch;
    this.bad = bad;
  }

  /**
   * Takes the next line.
   *
   * @param from index of its first byte
   * @param to index after its last byte
   * @param isText whether it is UTF-8
   */
  void take(byte[] bytes, int from, int to, boolean isText, int number) {
    if (text.goesOn(bytes, from, to)) {
      goOn(Arrays.copyOfRange(bytes, from, to), isText, number);
      return;
    }
    try {
      if (!isText) {
        throw new BadLineException("is not UTF-8");
      }
      if (known == null) {
        format.read(bytes, from, to, batch);
      } else if (!known.read(bytes, from, to)) {
        format.read(bytes, from, to, batch);
        known.learn(bytes, from, to);
      }
    } catch (OpenTextException e) {
      text.open();
      keep(Arrays.copyOfRange(bytes, from, to));
      heldLines = 1;
      heldFrom = number;
      heldReason = String.valueOf(e.getMessage());
    } catch (BadLineException e) {
      bad.add(number, String.valueOf(e.getMessage()));
      text.opens(bytes, from, to);
    }
  }

  private void goOn(byte[] bytes, boolean isText, int number) {
    if (heldLines == 0) {
      bad.add(number, GOES_ON);
      return;
    }
    heldLines++;
    if (!isText) {
      refuseHeld("its text is not UTF-8");
    } else if (held.size() + 1L + bytes.length > HELD_MAX) {
      refuseHeld("its text is longer than %,d bytes".formatted(HELD_MAX));
    } else {
      held.write('\n');
      keep(bytes);
      if (!text.isOpen()) {
        readHeld();
      }
    }
  }

  /**
   * Holds bytes. They are reserved fourfold: the buffer doubles as it grows, and is copied to be
   * read.
   */
  private void keep(byte[] bytes) {
    memory.hold(4L * bytes.length);
    held.writeBytes(bytes);
  }

  private void readHeld() {
    byte[] whole = held.toByteArray();
    try {
      format.read(whole, 0, whole.length, batch);
      forgetHeld();
    } catch (BadLineException e) {
      refuseHeld(String.valueOf(e.getMessage()));
    }
  }

  private void refuseHeld(String reason) {
    bad.add(heldFrom, reason);
    for (int i = 1; i < heldLines; i++) {
      bad.add(heldFrom + i, GOES_ON);
    }
    forgetHeld();
  }

  private void forgetHeld() {
    // A new one: the buffer of the old one may be large.
    held = new ByteArrayOutputStream();
    memory.letGo();
    heldLines = 0;
  }

  /** Ends the body. Lines whose text is still open are rejected. */
  void end() {
    if (heldLines > 0) {
      refuseHeld(heldReason);
    }
  }
}
