/** How `media_fits` names the JPEG that is stored instead of a HEIC or AVIF image. */
export const CONVERTED_RECIPE = "jpeg";
