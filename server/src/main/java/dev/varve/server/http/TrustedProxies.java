package dev.varve.server.http;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The proxies whose {@code X-Forwarded-For} is believed. Every proxy appends the address that it
 * saw, so that the header is read from its end: the last address that is no trusted proxy's is the
 * client, and whatever the client itself has put before it is ignored. Immutable.
 */
public final class TrustedProxies {
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  /** Addresses that share their first bits. */
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
   * Reads networks in CIDR notation, such as {@code 10.0.0.0/8}, or single addresses.
   *
   * @throws IllegalArgumentException if one is neither
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
   * The address of the client behind a peer.
   *
   * @param forwardedFor the values of {@code X-Forwarded-For} in the order in which they came
   * @return the peer itself where it is no trusted proxy; where all hops are trusted the first of
   *     them; where a hop is no address, the proxy that has reported it
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

  /** An address as proxies write it: with a port sometimes, and then IPv6 in brackets. */
  private static @Nullable InetAddress address(String hop) {
    if (hop.startsWith("[")) {
      int end = hop.indexOf(']');
      return end < 0 ? null : literal(hop.substring(1, end));
    }
    int colon = hop.indexOf(':');
    boolean withPort = colon >= 0 && colon == hop.lastIndexOf(':');
    return literal(withPort ? hop.substring(0, colon) : hop);
  }

  /** Asks no name server. */
  private static @Nullable InetAddress literal(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The networks as they were given. */
  @Override
  public String toString() {
    return String.join(",", networks.stream().map(Network::text).toList());
  }
}
