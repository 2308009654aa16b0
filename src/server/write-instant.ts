const FORMAT = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: 'America/Sao_Paulo',
})

/** '21/11/2026, 09:05 (horário de Brasília)' */
export function writeInstant(at: Date): string {
  return `${FORMAT.format(at)} (horário de Brasília)`
}
