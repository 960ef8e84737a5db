/** Whether a host name matches a pattern: an exact name, or `*.example.com` for every subdomain. */
export function hostMatches(patterns: readonly string[], host: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern));
}
