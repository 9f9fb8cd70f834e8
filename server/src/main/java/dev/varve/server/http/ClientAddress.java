package dev.varve.server.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Whom a limit per client counts: an IPv4 address, or the 64 bits of an IPv6 address that name its
 * network, since one host has all addresses behind these at its disposal.
 */
public final class ClientAddress {
  private static final int NETWORK_BYTES = 8;

  /** A peer without an address, on this machine. */
  public static final ClientAddress LOCAL = new ClientAddress(InetAddress.getLoopbackAddress());

  /** All targets that this server scrapes, as one: what they answer is what it has asked for. */
  public static final ClientAddress SCRAPED =
      new ClientAddress(new InetSocketAddress(0).getAddress());

  private final InetAddress network;

  private ClientAddress(InetAddress network) {
    this.network = network;
  }

  /** The client at an address; an IPv4 address that is mapped into IPv6 counts as IPv4. */
  public static ClientAddress of(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return new ClientAddress(address);
    }
    byte[] bytes = address.getAddress();
    Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
    try {
      return new ClientAddress(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has changed its length", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClientAddress client && client.network.equals(network);
  }

  @Override
  public int hashCode() {
    return network.hashCode();
  }

  /** The address, for IPv6 with {@code /64}; words for {@link #SCRAPED}. */
  @Override
  public String toString() {
    if (network.isAnyLocalAddress()) {
      return "(targets that are scraped)";
    }
    return network.getHostAddress() + (network instanceof Inet6Address ? "/64" : "");
  }
}
