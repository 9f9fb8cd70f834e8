package dev.varve.server.opentsdb.annotation;

import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.util.Locale;

/** TSUIDs in requests about annotations. OpenTSDB does not check whether such a series exists. */
final class Tsuids {
  private Tsuids() {}

  /**
   * Returns a TSUID in the form under which annotations are found: upper-case, of whole bytes.
   *
   * @throws OpenTsdbError 400 with OpenTSDB's message if it is not hexadecimal
   */
  static String normal(String tsuid) {
    String even = tsuid.length() % 2 == 0 ? tsuid : "0" + tsuid;
    if (!even.matches("[0-9A-Fa-f]*")) {
      throw new OpenTsdbError(400, "contains illegal character for hexBinary: " + even);
    }
    return even.toUpperCase(Locale.ROOT);
  }
}
