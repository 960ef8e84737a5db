export interface Page {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly tasks: readonly string[];
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
  /** Their Pages are listed only through the Business Manager. */
  readonly businesses: readonly Business[];
}

const EDITOR_TASKS = ["ANALYZE", "CREATE_CONTENT"];
const OWNER_TASKS = [...EDITOR_TASKS, "MODERATE", "MANAGE"];

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: {
    id: "122100000000000001",
    name: "Ada Example",
    pages: [
      { id: "110011001100110", name: "Shop", username: "shop", tasks: OWNER_TASKS },
      { id: "110011001100220", name: "Workshop", username: "workshop", tasks: EDITOR_TASKS },
      { id: "110011001100330", name: "Read only", username: "readonly", tasks: ["ANALYZE"] },
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
        owned: [{ id: "110011001100440", name: "Agency", username: "agency", tasks: OWNER_TASKS }],
        clients: [{ id: "110011001100550", name: "Client", username: "client", tasks: EDITOR_TASKS }],
      },
    ],
  },
};

/** All Pages of a login, its own and those of its businesses. */
export function pagesOf(login: string): readonly Page[] {
  const user = TEST_USERS[login];
  return user
    ? [...user.pages, ...user.businesses.flatMap((business) => [...business.owned, ...business.clients])]
    : [];
}

/** The Pages a login may post to. */
export const accountsOf = (login: string): readonly string[] =>
  pagesOf(login)
    .filter((page) => page.tasks.includes("CREATE_CONTENT"))
    .map((page) => page.id);
