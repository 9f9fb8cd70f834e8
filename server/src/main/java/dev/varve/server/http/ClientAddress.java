package dev.varve.server.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The unit of limits per client: an IPv4 address, or the /64 network of an IPv6 address, because
 * one host can use all addresses of its network.
 */
public final class ClientAddress {
  private static final int NETWORK_BYTES = 8;

  /** A peer on this machine without an address. */
  public static final ClientAddress LOCAL = new ClientAddress(InetAddress.getLoopbackAddress());

  /**
   * All scraped targets, counted as one client because the server itself requests their answers.
   */
  public static final ClientAddress SCRAPED =
      new ClientAddress(new InetSocketAddress(0).getAddress());

  private final InetAddress network;

  private ClientAddress(InetAddress network) {
    this.network = network;
  }

  /** Returns the client of an address. An IPv4-mapped IPv6 address counts as IPv4. */
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

  /** Returns the address, with {@code /64} for IPv6; a description for {@link #SCRAPED}. */
  @Override
  public String toString() {
    if (network.isAnyLocalAddress()) {
      return "(targets that are scraped)";
    }
    return network.getHostAddress() + (network instanceof Inet6Address ? "/64" : "");
  }
}
