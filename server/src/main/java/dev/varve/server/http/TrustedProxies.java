package dev.varve.server.http;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The proxies whose {@code X-Forwarded-For} is trusted. Every proxy appends the address that it
 * saw, so the header is read from its end: the last address that is not a trusted proxy is the
 * client, and everything before it is ignored, because the client may have written it. Immutable.
 */
public final class TrustedProxies {
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  /** A network: addresses with a common prefix. */
  private record Network(String text, byte[] address, int bits) {
    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit += Byte.SIZE) {
        int shift = Math.max(0, Byte.SIZE - (bits - bit));
        if ((address[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) >> shift != 0) {
          return false;
        }
      }
      return true;
    }
  }

  private final List<Network> networks;

  private TrustedProxies(List<Network> networks) {
    this.networks = networks;
  }

  /**
   * Parses networks in CIDR notation, such as {@code 10.0.0.0/8}, or single addresses.
   *
   * @throws IllegalArgumentException if a text is neither
   */
  public static TrustedProxies of(List<String> texts) {
    return texts.isEmpty()
        ? NONE
        : new TrustedProxies(texts.stream().map(TrustedProxies::network).toList());
  }

  private static Network network(String text) {
    int slash = text.indexOf('/');
    InetAddress address = literal(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is no network such as 10.0.0.0/8 or fd00::/8, and no address");
    }
    byte[] bytes = address.getAddress();
    int max = bytes.length * Byte.SIZE;
    int bits = max;
    if (slash >= 0) {
      String length = text.substring(slash + 1);
      bits = length.matches("\\d{1,3}") ? Integer.parseInt(length) : -1;
      if (bits < 0 || bits > max) {
        throw new IllegalArgumentException(
            "'%s': the bits of the network are a number from 0 to %d".formatted(text, max));
      }
    }
    return new Network(text, bytes, bits);
  }

  public boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    return networks.stream().anyMatch(network -> network.contains(bytes));
  }

  /**
   * Returns the address of the client behind a peer.
   *
   * @param forwardedFor values of {@code X-Forwarded-For} in their order
   * @return the peer itself if it is not a trusted proxy; the first hop if all are trusted; the
   *     proxy that reported it if a hop is not an address
   */
  public InetAddress client(InetAddress peer, List<String> forwardedFor) {
    InetAddress client = peer;
    List<String> hops = hops(forwardedFor);
    for (int i = hops.size() - 1; i >= 0 && contains(client); i--) {
      InetAddress hop = address(hops.get(i));
      if (hop == null) {
        return client;
      }
      client = hop;
    }
    return client;
  }

  private static List<String> hops(List<String> forwardedFor) {
    List<String> hops = new ArrayList<>();
    for (String value : forwardedFor) {
      for (String hop : value.split(",", -1)) {
        hops.add(hop.strip());
      }
    }
    return hops;
  }

  /**
   * Parses an address as proxies write it: sometimes with a port, in which case IPv6 is in
   * brackets.
   */
  private static @Nullable InetAddress address(String hop) {
    if (hop.startsWith("[")) {
      int end = hop.indexOf(']');
      return end < 0 ? null : literal(hop.substring(1, end));
    }
    int colon = hop.indexOf(':');
    boolean withPort = colon >= 0 && colon == hop.lastIndexOf(':');
    return literal(withPort ? hop.substring(0, colon) : hop);
  }

  /** Parses a literal address without a name lookup. */
  private static @Nullable InetAddress literal(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Returns the networks as they were given. */
  @Override
  public String toString() {
    return String.join(",", networks.stream().map(Network::text).toList());
  }
}
