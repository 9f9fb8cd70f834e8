package dev.varve.store;

/**
 * Thrown if stored data has the format of a later version. Such data is not damaged: nothing may
 * repair, drop or overwrite it.
 */
public final class LaterFormatException extends StoreException {
  private static final long serialVersionUID = 1;

  private final String reason;

  /**
   * Creates an exception.
   *
   * @param what the data in question, such as {@code the head of a block}
   * @param found its format
   * @param known the newest format that this version reads
   */
  public LaterFormatException(String what, Object found, Object known) {
    this(
        "%s has format %s, but this version reads format %s: use a later version"
            .formatted(what, found, known));
  }

  /**
   * Returns the exception for a part of a file or table that only a later version can have written.
   *
   * @param what the part, with its place
   */
  public static LaterFormatException unknown(String what) {
    return new LaterFormatException(
        "%s is unknown to this version: use a later version".formatted(what));
  }

  private LaterFormatException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /**
   * Returns a copy of this exception whose message begins with the place of the data, such as its
   * table.
   */
  public LaterFormatException in(String place) {
    return new LaterFormatException(place + ": " + reason);
  }
}
