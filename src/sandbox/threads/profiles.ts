export interface Profile {
  /** Over 2^53 and odd, so that a number loses its last digit. */
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

export const PROFILES: Readonly<Record<string, Profile>> = {
  ada: { id: "17841405793187219", username: "ada_threads", name: "Ada Example" },
  ben: { id: "17841405793187333", username: "ben_threads", name: "Ben Example" },
};
