package dev.varve.server.http;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * A line of the audit log: who did what, from where, and with which outcome. Clients choose most of
 * its values, so a value is quoted and escaped unless it is plain: a line is never more than one
 * line, and a value never looks like another field.
 */
final class AuditLine {
  /** Maximum length of a value that a client sent, in characters. */
  private static final int VALUE_MAX = 2_000;

  private static final HexFormat HEX = HexFormat.of();

  private final StringBuilder line = new StringBuilder();

  private AuditLine() {}

  /** Returns the line of an exchange whose answer has its status. */
  static String of(Exchange exchange) {
    AuditLine line = new AuditLine();
    line.add("user", exchange.caller().name());
    line.add("client", exchange.client());
    line.add("method", exchange.method());
    line.add("path", exchange.rawPath());
    line.addIfPresent("query", exchange.rawQuery());
    line.addIfPresent("body", beginning(exchange.question()));
    line.add("status", Integer.toString(exchange.status()));
    return line.line.toString();
  }

  private static String beginning(byte[] body) {
    return new String(body, 0, Math.min(body.length, VALUE_MAX + 1), StandardCharsets.UTF_8);
  }

  private void addIfPresent(String name, String value) {
    if (!value.isEmpty()) {
      add(name, value);
    }
  }

  private void add(String name, String value) {
    if (!line.isEmpty()) {
      line.append(' ');
    }
    line.append(name).append('=');
    boolean isLong = value.length() > VALUE_MAX;
    String shown = isLong ? value.substring(0, VALUE_MAX) + "..." : value;
    if (!shown.isEmpty() && shown.chars().allMatch(AuditLine::isPlain)) {
      line.append(shown);
    } else {
      quote(shown);
    }
  }

  private static boolean isPlain(int unit) {
    return unit > ' ' && unit <= '~' && unit != '"' && unit != '\\';
  }

  /**
   * Escapes as JSON does, and everything beyond ASCII as well: some of it breaks or turns lines.
   */
  private void quote(String value) {
    line.append('"');
    for (int i = 0; i < value.length(); i++) {
      char unit = value.charAt(i);
      if (unit == ' ' || isPlain(unit)) {
        line.append(unit);
      } else if (unit == '"' || unit == '\\') {
        line.append('\\').append(unit);
      } else {
        line.append("\\u").append(HEX.toHexDigits(unit));
      }
    }
    line.append('"');
  }
}
