/** What one edit (or the first confirmation) would put on the platforms. */
export interface Version {
  readonly text: string;
  readonly dueAt: number;
  /** `maybe`: the answer was lost, so the service may have taken it or not. */
  standing: "confirmed" | "maybe" | "refused";
}

/** What the caller knows of one post; the service and the platforms are judged by it. */
export interface Entry {
  readonly marker: string;
  readonly key: string;
  readonly platforms: readonly string[];
  postId: string | null;
  readonly versions: Version[];
  cancel: "none" | "confirmed" | "maybe" | "refused";
  /** How many confirmations of one token answered 200. */
  confirmed: number;
}

/** The texts that may stand on a platform: the last confirmed one, and every later one whose fate is unknown. */
export function possible(entry: Entry): readonly Version[] {
  const lastConfirmed = entry.versions.findLastIndex((version) => version.standing === "confirmed");
  return entry.versions.filter(
    (version, at) => at === lastConfirmed || (at > lastConfirmed && version.standing === "maybe"),
  );
}
