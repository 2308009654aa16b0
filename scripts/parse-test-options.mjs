const stepNames = /** @type {const} */ ([
  'packages',
  'lint',
  'types',
  'build',
  'unit',
  'browser',
  'engines',
  'faults',
])

/** @typedef {(typeof stepNames)[number]} StepName */

export const usage = `Uso: npm test -- [--only PASSOS] [--shuffle[=SEMENTE]] [FILTRO…]

Sem argumentos roda tudo, na ordem, e para na primeira falha:
  packages  pacotes iguais a package-lock.json, scripts de instalação e licenças
  lint      formato e lint (biome ci, scripts/check-words.mjs)
  types     tipos (tsc)
  build     compila o que mudou e confere o tamanho
  unit      testes de unidade e HTTP (vitest), em PGlite e em PostgreSQL
  browser   testes no navegador (playwright); compila antes o que mudou
  engines   o essencial em Firefox e WebKitGTK, onde estiverem instalados
  faults    falhas e entradas ao acaso, em forma curta (npm run faults, npm run fuzz)

  --only lint,types   só estes passos
  FILTRO              só os arquivos de teste cujo caminho o contém (passos unit e browser)
  --shuffle           testes no navegador em ordem sorteada; a semente, impressa no início,
                      repete a ordem: --shuffle=SEMENTE
  --help              este texto

Variáveis: TEST_DATABASE_URL (PostgreSQL já pronto; sem ela, um descartável),
CHROMIUM_PATH (navegador a usar), CI=true (falha em vez de pular o PostgreSQL ou um navegador).
A última linha é "N passed, N failed" com os totais dos testes; um passo que falha
sem que um teste tenha falhado conta como uma falha.
`

/**
 * @param {readonly string[]} args the arguments after `npm test --`
 * @returns {{ help: boolean, steps: StepName[], filters: string[], shuffle?: string }}
 *   the steps in running order; `shuffle` is the seed, empty for a new one
 * @throws {Error} for an unknown option or step
 */
export function parseTestOptions(args) {
  /** @type {string[]} */
  const filters = []
  /** @type {string[]} */
  let only = []
  /** @type {string | undefined} */
  let shuffle
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    if (arg === '--help' || arg === '-h') return { help: true, steps: [], filters: [] }
    if (arg === '--only') only = (args[++index] ?? '').split(',')
    else if (arg.startsWith('--only=')) only = arg.slice('--only='.length).split(',')
    else if (arg === '--shuffle') shuffle = ''
    else if (arg.startsWith('--shuffle=')) shuffle = arg.slice('--shuffle='.length)
    else if (arg.startsWith('-')) throw new Error(`Opção desconhecida: ${arg}\n\n${usage}`)
    else filters.push(arg)
  }
  // Filters apply to test files only.
  if (only.length === 0) only = filters.length > 0 ? ['unit', 'browser'] : [...stepNames]
  const unknown = only.find((name) => !stepNames.some((step) => step === name))
  if (unknown !== undefined) throw new Error(`Passo desconhecido: ${unknown || '(vazio)'}\n\n${usage}`)
  const steps = stepNames.filter((step) => only.includes(step))
  return { help: false, steps, filters, ...(shuffle !== undefined && { shuffle }) }
}
