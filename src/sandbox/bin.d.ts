/** Bundlers hand a `.bin` file over as its bytes. */
declare module "*.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}
