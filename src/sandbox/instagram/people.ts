export interface Person {
  /** The id within the app; not the one to post with. */
  readonly appScopedId: string;
  /** Over 2^53: as a JSON number it would be rounded. */
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly accountType: "BUSINESS" | "MEDIA_CREATOR" | "PERSONAL";
  readonly followers: number;
}

/** Trial reels are for accounts with this many followers. */
const TRIAL_FOLLOWERS = 1000;

export const PEOPLE: Readonly<Record<string, Person>> = {
  ada: {
    appScopedId: "24106780935621847",
    userId: "17841400008460057",
    username: "ada_pictures",
    name: "Ada Example",
    accountType: "BUSINESS",
    followers: 5200,
  },
  ben: {
    appScopedId: "24106780935621963",
    userId: "17841400008460063",
    username: "ben_at_home",
    name: "Ben Example",
    accountType: "PERSONAL",
    followers: 80,
  },
  cleo: {
    appScopedId: "24106780935622017",
    userId: "17841400008460069",
    username: "cleo_creates",
    name: "Cleo Example",
    accountType: "MEDIA_CREATOR",
    followers: 120,
  },
};

export const mayTryReels = (person: Person): boolean => person.followers >= TRIAL_FOLLOWERS;
export const isProfessional = (person: Person): boolean => person.accountType !== "PERSONAL";
