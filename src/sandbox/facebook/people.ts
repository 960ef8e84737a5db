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

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly pages: readonly Page[];
  /** Pages that are listed through a Business Manager alone. */
  readonly businesses: readonly Business[];
}

const EDITOR = ["ANALYZE", "CREATE_CONTENT"];
const OWNER = [...EDITOR, "MODERATE", "MANAGE"];

export const PEOPLE: Readonly<Record<string, Person>> = {
  ada: {
    id: "122100000000000001",
    name: "Ada Example",
    pages: [
      { id: "110011001100110", name: "Shop", username: "shop", tasks: OWNER },
      { id: "110011001100220", name: "Workshop", username: "workshop", tasks: EDITOR },
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
        owned: [{ id: "110011001100440", name: "Agency", username: "agency", tasks: OWNER }],
        clients: [{ id: "110011001100550", name: "Client", username: "client", tasks: EDITOR }],
      },
    ],
  },
};

/** Every Page a login has, however it is listed. */
export function pagesOf(login: string): readonly Page[] {
  const person = PEOPLE[login];
  return person
    ? [...person.pages, ...person.businesses.flatMap((business) => [...business.owned, ...business.clients])]
    : [];
}

/** The Pages a login may post to. */
export const accountsOf = (login: string): readonly string[] =>
  pagesOf(login)
    .filter((page) => page.tasks.includes("CREATE_CONTENT"))
    .map((page) => page.id);
