package dev.varve.server.http;

import java.net.InetAddress;
import java.net.URI;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rights of web pages. A browser sends requests for every page that its user has opened, also
 * to servers that only the user's machine can reach, and names the page in {@code Origin}.
 *
 * @param origins origins whose pages may change state, in addition to the server's own
 * @param hosts names of a server on a loopback address, in addition to those of loopback
 * @param corsOrigins origins whose pages may read answers; {@link #ANY} for all
 */
public record WebAccess(Set<String> origins, Set<String> hosts, Set<String> corsOrigins) {
  /** Matches every origin. */
  public static final String ANY = "*";

  private static final String HOST = "(\\[[0-9a-fA-F:.]+]|[^\\s/?#@:,\\[\\]\\\\]+)";
  private static final Pattern AUTHORITY = Pattern.compile(HOST + "(?::(\\d{0,5}))?");
  private static final Pattern ORIGIN =
      Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*)://" + HOST + "(?::(\\d{0,5}))?");

  /** Names by which nearly all requests to a loopback address call the server. */
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  private static final int PORT_DIGITS = 5;

  /** Pages of other origins may neither change nor read anything. */
  public static final WebAccess DEFAULTS = new WebAccess(Set.of(), Set.of(), Set.of());

  public WebAccess {
    origins = Set.copyOf(origins);
    hosts = Set.copyOf(hosts);
    corsOrigins = Set.copyOf(corsOrigins);
  }

  /**
   * Returns the same rights, and those of pages below the external address of the server; null for
   * none.
   */
  public WebAccess withOriginOf(@Nullable URI external) {
    if (external == null) {
      return this;
    }
    Set<String> more = new HashSet<>(origins);
    String port = external.getPort() < 0 ? "" : ":" + external.getPort();
    more.add(origin(external.getScheme() + "://" + external.getHost() + port));
    return new WebAccess(more, hosts, corsOrigins);
  }

  /**
   * Normalises an origin to the form that browsers send.
   *
   * @throws IllegalArgumentException if it is not an origin
   */
  public static String origin(String text) {
    Matcher matcher = ORIGIN.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'%s' is no origin such as https://grafana.example.com or http://localhost:3000"
              .formatted(text));
    }
    String scheme = lower(matcher.group(1));
    String host = lower(matcher.group(2));
    return scheme + "://" + host + portUnlessDefault(scheme, matcher.group(3));
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static String portUnlessDefault(String scheme, @Nullable String port) {
    boolean usual = scheme.equals("https") ? "443".equals(port) : "80".equals(port);
    return port == null || port.isEmpty() || usual ? "" : ":" + port;
  }

  /**
   * Validates a host name of the server.
   *
   * @throws IllegalArgumentException if it is not a host, or has a port
   */
  public static String host(String text) {
    Matcher matcher = AUTHORITY.matcher(text);
    if (!matcher.matches() || matcher.group(2) != null) {
      throw new IllegalArgumentException(
          "'%s' is no host without a port, such as metrics.example.com".formatted(text));
    }
    return lower(text);
  }

  /**
   * Rejects a request to a loopback address under another name. For a browser, a page and a server
   * with the same name have the same origin, and the owner of a name chooses its address (DNS
   * rebinding).
   *
   * @throws HttpError 403
   */
  void requireHost(Exchange exchange) {
    String header = exchange.header("Host");
    if (!exchange.onLoopback() || header == null || LOOPBACK.contains(withoutPort(header))) {
      return;
    }
    Matcher matcher = AUTHORITY.matcher(header);
    String host = matcher.matches() ? lower(matcher.group(1)) : "";
    if (!isLoopback(host) && !hosts.contains(host)) {
      throw new HttpError(
          403,
          "a server on a loopback address is not called '%s'; web.hosts lists further names"
              .formatted(header));
    }
  }

  /** Returns the text before a port, or all of it if it does not end in one. */
  private static String withoutPort(String authority) {
    int colon = authority.lastIndexOf(':');
    if (colon < 0 || authority.length() - colon - 1 > PORT_DIGITS) {
      return authority;
    }
    for (int i = colon + 1; i < authority.length(); i++) {
      if (authority.charAt(i) < '0' || authority.charAt(i) > '9') {
        return authority;
      }
    }
    return authority.substring(0, colon);
  }

  private static boolean isLoopback(String host) {
    if (host.equals("localhost") || host.equals("localhost.")) {
      return true;
    }
    try {
      return InetAddress.ofLiteral(host.replaceAll("^\\[|]$", "")).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Rejects a request that changes state if a page of another origin sent it.
   *
   * @throws HttpError 403
   */
  void requireOrigin(Exchange exchange) {
    String origin = exchange.header("Origin");
    String site = exchange.header("Sec-Fetch-Site");
    // Browsers send no origin with the GET of a link or an image.
    if (origin == null && site != null && !site.equals("same-origin")) {
      throw new HttpError(403, "a link or a page elsewhere may not change anything here");
    }
    if (origin != null && !isOwn(origin, exchange) && !listed(origin, origins)) {
      throw new HttpError(
          403,
          "a page of origin '%s' may not change anything here; web.origins lists those that may"
              .formatted(origin));
    }
  }

  /**
   * Returns whether the page is from the server itself. Over TLS its own pages come over TLS; a
   * page of the same host without it may be anybody's in the network. Without TLS, a proxy in front
   * of the server may speak it.
   */
  private static boolean isOwn(String origin, Exchange exchange) {
    String host = exchange.header("Host");
    Matcher matcher = ORIGIN.matcher(origin);
    return host != null
        && matcher.matches()
        && (!exchange.isEncrypted() || lower(matcher.group(1)).equals("https"))
        && AUTHORITY.matcher(host).matches()
        && origin(origin).equals(origin(matcher.group(1) + "://" + host));
  }

  private static boolean listed(String origin, Set<String> origins) {
    if (origins.contains(ANY)) {
      return true;
    }
    return ORIGIN.matcher(origin).matches() && origins.contains(origin(origin));
  }

  /**
   * Allows a page to read the answer if it has the right to.
   *
   * @param changesState whether the route changes state; its answers are for pages that may use it
   * @return whether the page may read the answer
   */
  boolean allowReading(Exchange exchange, boolean changesState) {
    Set<String> allowed = changesState ? origins : corsOrigins;
    String origin = exchange.header("Origin");
    if (allowed.contains(ANY)) {
      exchange.header("Access-Control-Allow-Origin", ANY);
    } else if (!allowed.isEmpty()) {
      exchange.header("Vary", "Origin");
      if (origin == null || !listed(origin, allowed)) {
        return false;
      }
      exchange.header("Access-Control-Allow-Origin", origin);
    } else {
      return false;
    }
    exchange.header("Access-Control-Expose-Headers", "*");
    return true;
  }

  /**
   * Answers a browser's preflight.
   *
   * @param changesState whether the announced request changes state; null if there is no such route
   */
  void answerPreflight(Exchange exchange, @Nullable Boolean changesState) {
    String method = exchange.header("Access-Control-Request-Method");
    if (method != null && changesState != null && allowReading(exchange, changesState)) {
      exchange.header("Access-Control-Allow-Methods", method);
      String headers = exchange.header("Access-Control-Request-Headers");
      if (headers != null) {
        exchange.header("Access-Control-Allow-Headers", headers);
      }
      exchange.header("Access-Control-Max-Age", "600");
    }
    exchange.answer(204);
  }
}
