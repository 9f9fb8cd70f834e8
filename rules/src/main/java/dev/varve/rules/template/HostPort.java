package dev.varve.rules.template;

import org.jspecify.annotations.Nullable;

/**
 * Addresses such as {@code host:9100} and {@code [::1]:9100}.
 *
 * @param host without brackets
 */
record HostPort(String host, String port) {
  /** Parses an address; returns null if it has no port or is invalid. */
  private static @Nullable HostPort of(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      return null;
    }
    String host = address.substring(0, colon);
    if (host.startsWith("[")) {
      if (!host.endsWith("]")) {
        return null;
      }
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      return null;
    }
    String port = address.substring(colon + 1);
    boolean stray = (host + port).indexOf('[') >= 0 || (host + port).indexOf(']') >= 0;
    return stray ? null : new HostPort(host, port);
  }

  /** Removes the port; returns an address without a port unchanged. */
  static String stripPort(String address) {
    HostPort parts = of(address);
    return parts == null ? address : parts.host;
  }

  /** Returns the first label of the host name, with the port; returns an IP address unchanged. */
  static String stripDomain(String address) {
    HostPort parts = of(address);
    String host = parts == null ? address : parts.host;
    if (isNumeric(host)) {
      return address;
    }
    int dot = host.indexOf('.');
    String name = dot < 0 ? host : host.substring(0, dot);
    if (parts == null || parts.port.isEmpty()) {
      return name;
    }
    return name.indexOf(':') >= 0 ? "[" + name + "]:" + parts.port : name + ":" + parts.port;
  }

  /** Returns whether a host is an IP address. */
  private static boolean isNumeric(String host) {
    if (host.indexOf(':') >= 0) {
      return host.matches("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    }
    String octet = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    return host.matches(octet + "(\\." + octet + "){3}");
  }
}
