package dev.varve.cli.io;

import picocli.CommandLine.IVersionProvider;

/** Reads the version that the build wrote into the jar. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"varve " + (version == null ? "(not packaged)" : version)};
  }
}
