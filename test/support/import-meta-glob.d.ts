/** Provided by Vite at test time, beside the forms declared for other folders; importing the types of Vite would also add the DOM types. */
interface ImportMeta {
  /** The modules whose paths match, by path. */
  glob<Module>(pattern: string, options: { eager: true }): Readonly<Record<string, Module>>;
}
