package dev.varve.server.config;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A URL that may hold a user and a password. Its text, in logs, metrics and answers, shows neither.
 *
 * @param uri with them: for requests alone
 */
public record Url(URI uri) {
  /**
   * Up to the last @ of a word: where a password holds one, or a slash, it is not a URI, and is
   * printed all the same.
   */
  private static final Pattern CREDENTIALS =
      Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*:/{1,3})[^\\s'\"<>]*@");

  public static Url of(String text) {
    return new Url(URI.create(text));
  }

  /** The same URL with something behind its path. */
  public Url plus(String path) {
    return of(uri.toString().replaceFirst("/+$", "") + path);
  }

  /** The URL without a user and a password: what a request is sent to. */
  public URI bare() {
    return uri.getRawUserInfo() == null
        ? uri
        : URI.create(uri.toString().replaceFirst("//[^/?#]*@", "//"));
  }

  /**
   * The header {@code Authorization} that user and password come to; empty where there are none.
   */
  public Optional<String> authorization() {
    String pair = uri.getUserInfo();
    return pair == null
        ? Optional.empty()
        : Optional.of(
            "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
  }

  /** The URL with {@code ***} for its user and password. */
  @Override
  public String toString() {
    return uri.getRawUserInfo() == null
        ? uri.toString()
        : uri.toString().replaceFirst("//[^/?#]*@", "//***@");
  }

  /** A text, such as the message of an error, with {@code ***} for credentials in its URLs. */
  public static String redacted(String text) {
    return text.indexOf('@') < 0 ? text : CREDENTIALS.matcher(text).replaceAll("$1***@");
  }
}
