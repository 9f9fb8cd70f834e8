package dev.varve.server.config;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A URL that may contain a user and a password. Its text, for logs, metrics and answers, hides
 * them.
 *
 * @param uri the URL with user and password, for requests only
 */
public record Url(URI uri) {
  /**
   * Matches up to the last @ of a word. A password with an @ or a slash makes the URI invalid, but
   * such a text is printed in messages too.
   */
  private static final Pattern CREDENTIALS =
      Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*:/{1,3})[^\\s'\"<>]*@");

  public static Url of(String text) {
    return new Url(URI.create(text));
  }

  /** Returns the same URL with an addition to its path. */
  public Url plus(String path) {
    return of(uri.toString().replaceFirst("/+$", "") + path);
  }

  /** Returns the URL without user and password, as the target of a request. */
  public URI bare() {
    return uri.getRawUserInfo() == null
        ? uri
        : URI.create(uri.toString().replaceFirst("//[^/?#]*@", "//"));
  }

  /** Returns the header {@code Authorization} for user and password; empty if there are none. */
  public Optional<String> authorization() {
    String pair = uri.getUserInfo();
    return pair == null
        ? Optional.empty()
        : Optional.of(
            "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns the URL with {@code ***} in place of user and password. */
  @Override
  public String toString() {
    return uri.getRawUserInfo() == null
        ? uri.toString()
        : uri.toString().replaceFirst("//[^/?#]*@", "//***@");
  }

  /** Returns a text, such as an error message, with {@code ***} for credentials in its URLs. */
  public static String redacted(String text) {
    return text.indexOf('@') < 0 ? text : CREDENTIALS.matcher(text).replaceAll("$1***@");
  }
}
