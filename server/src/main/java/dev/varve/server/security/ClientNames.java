package dev.varve.server.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** The names in a client's certificate. */
final class ClientNames {
  /** Kinds of alternative names, by their numbers in X.509: e-mail, DNS, URI, IP address. */
  private static final List<Integer> KINDS = List.of(1, 2, 6, 7);

  private ClientNames() {}

  /** Returns the alternative names that are text: DNS names, e-mail and IP addresses, URIs. */
  static List<String> alternatives(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    try {
      var alternatives = certificate.getSubjectAlternativeNames();
      if (alternatives != null) {
        for (List<?> name : alternatives) {
          if (name.get(0) instanceof Integer kind
              && KINDS.contains(kind)
              && name.get(1) instanceof String text) {
            names.add(text);
          }
        }
      }
    } catch (CertificateParsingException e) {
      // A certificate whose names cannot be read has none.
      names.clear();
    }
    return names;
  }

  /** Returns the alternative names and the common names of the subject. */
  static List<String> all(X509Certificate certificate) {
    List<String> names = new ArrayList<>(alternatives(certificate));
    try {
      for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
          names.add(name);
        }
      }
    } catch (InvalidNameException e) {
      // A subject that is not a name adds none.
      return names;
    }
    return names;
  }
}
