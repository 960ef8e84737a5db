/** The name in `media_fits` of the JPEG that is stored instead of a HEIC or AVIF image. */
export const CONVERTED_RECIPE = "jpeg";
