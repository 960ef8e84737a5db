export interface Page {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly tasks: readonly string[];
  readonly professionalAccount?: {
    readonly userId: string;
    readonly username: string;
    readonly name: string;
    readonly followers: number;
  };
  /** True if the role gives no access to the Page's token (Live Contributor). */
  readonly withoutToken?: true;
}

export interface Business {
  readonly id: string;
  readonly name: string;
  readonly owned: readonly Page[];
  readonly clients: readonly Page[];
}

export interface TestUser {
  readonly id: string;
  readonly name: string;
  readonly pages: readonly Page[];
  /** Businesses of the user, whose Pages only the Business Manager lists. */
  readonly businesses: readonly Business[];
}

const EDITOR_TASKS = ["ANALYZE", "CREATE_CONTENT"];
const OWNER_TASKS = [...EDITOR_TASKS, "MODERATE", "MANAGE"];
/** The tasks of Pages of the New Pages Experience, which use only this spelling. */
const NEW_PAGE_TASKS = ["PROFILE_PLUS_ANALYZE", "PROFILE_PLUS_CREATE_CONTENT", "PROFILE_PLUS_MODERATE"];

const profile = (number: number): NonNullable<Page["professionalAccount"]> => ({
  userId: `1784140000846100${number}`,
  username: `page_pictures_${number}`,
  name: `Pictures ${number}`,
  followers: 3000,
});

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: {
    id: "122100000000000001",
    name: "Ada Example",
    pages: [
      { id: "110011001100110", name: "Shop", username: "shop", tasks: OWNER_TASKS },
      {
        id: "110011001100220",
        name: "Workshop",
        username: "workshop",
        tasks: NEW_PAGE_TASKS,
        professionalAccount: profile(1),
      },
      {
        id: "110011001100330",
        name: "Read only",
        username: "readonly",
        tasks: [],
        withoutToken: true,
        professionalAccount: profile(2),
      },
    ],
    businesses: [],
  },
  ben: { id: "122100000000000002", name: "Ben Example", pages: [], businesses: [] },
  cleo: {
    id: "122100000000000003",
    name: "Cleo Example",
    pages: [],
    businesses: [
      {
        id: "133100000000001",
        name: "Cleo's agency",
        owned: [
          {
            id: "110011001100440",
            name: "Agency",
            username: "agency",
            tasks: OWNER_TASKS,
            professionalAccount: profile(3),
          },
        ],
        clients: [{ id: "110011001100550", name: "Client", username: "client", tasks: EDITOR_TASKS }],
      },
    ],
  },
  dora: {
    id: "122100000000000004",
    name: "Dora Example",
    pages: [
      {
        id: "110011001100660",
        name: "Insights",
        username: "insights",
        tasks: ["PROFILE_PLUS_ANALYZE"],
        professionalAccount: profile(4),
      },
    ],
    businesses: [],
  },
};

export const mayCreateContent = ({ tasks }: Page): boolean =>
  tasks.includes("CREATE_CONTENT") || tasks.includes("PROFILE_PLUS_CREATE_CONTENT");

/** All Pages of a login: its own and those of its businesses. */
export function pagesOf(login: string): readonly Page[] {
  const user = TEST_USERS[login];
  return user
    ? [...user.pages, ...user.businesses.flatMap((business) => [...business.owned, ...business.clients])]
    : [];
}

export const accountsOf = (login: string): readonly string[] =>
  pagesOf(login)
    .filter(mayCreateContent)
    .map((page) => page.id);
