/** The classes of a link that stands in a line of its own or in a sentence. */
export const textLinkClasses = 'rounded-sm font-medium text-brand-strong underline-offset-4 hover:underline'
