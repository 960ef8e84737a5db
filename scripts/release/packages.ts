/** What a package's manifest says that a release needs. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What keeps the packages from being released with the service: each has its version, also where one is built from another. */
export function unreadyPackages(version: string, packages: readonly Manifest[]): string[] {
  const names = new Set(packages.map(({ name }) => name));
  return packages.flatMap((manifest) => [
    ...(manifest.version === version ? [] : [`${manifest.name} is ${manifest.version}, not ${version}`]),
    ...Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
      .filter(([name, wanted]) => names.has(name) && wanted !== version)
      .map(([name, wanted]) => `${manifest.name} needs ${name} ${wanted}, not ${version}`),
  ]);
}
