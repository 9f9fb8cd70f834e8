package dev.varve.server.http;

import dev.varve.server.compression.GzipOutput;
import dev.varve.server.compression.ZstdOutput;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The compression of an answer. Of two that a client prefers equally, the later one is used. */
enum Coding {
  IDENTITY("identity"),
  GZIP("gzip"),
  ZSTD("zstd");

  private final String token;

  Coding(String token) {
    this.token = token;
  }

  String token() {
    return token;
  }

  /**
   * Returns the client's preferred coding.
   *
   * @param accepted its {@code Accept-Encoding} (RFC 9110, 12.5.3); null if it sent none
   */
  static Coding best(@Nullable String accepted) {
    Coding best = IDENTITY;
    double bestQuality = 0;
    for (String part : accepted == null ? new String[0] : accepted.split(",", -1)) {
      String[] words = part.split(";", -1);
      Coding coding = of(words[0].strip().toLowerCase(Locale.ROOT));
      double quality = quality(words);
      if (coding != IDENTITY
          && quality > 0
          && (quality > bestQuality || (quality == bestQuality && coding.compareTo(best) > 0))) {
        best = coding;
        bestQuality = quality;
      }
    }
    return best;
  }

  private static Coding of(String name) {
    return switch (name) {
      case "gzip" -> GZIP;
      case "zstd" -> ZSTD;
      default -> IDENTITY;
    };
  }

  /** Returns the weight of a coding, from 0 to 1: 1 if there is none, 0 if it is invalid. */
  private static double quality(String[] words) {
    for (int i = 1; i < words.length; i++) {
      String[] pair = words[i].split("=", 2);
      if (pair[0].strip().equalsIgnoreCase("q")) {
        String quality = pair.length < 2 ? "" : pair[1].strip();
        return quality.matches("[01](\\.[0-9]{0,3})?") ? Double.parseDouble(quality) : 0;
      }
    }
    return 1;
  }

  /** Returns a stream that compresses into another. Closing it closes both. */
  OutputStream into(OutputStream out) {
    return switch (this) {
      case IDENTITY -> out;
      case GZIP -> new GzipOutput(out);
      case ZSTD -> new ZstdOutput(out);
    };
  }
}
