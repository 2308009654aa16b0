/** Names that a password must not contain. */
export interface PersonalWords {
  email: string
  groupName: string
  /** Names of areas and brands, if known here. */
  names?: readonly string[]
}

const PRODUCT_NAME = 'Pátio'
/** Shorter words occur in good passwords by chance; they count only if nothing else is in the password. */
const MIN_PERSONAL_WORD = 4
const MIN_WORD = 3
/** Generic words of group names, which do not make a password easier to guess. */
const ORDINARY_WORDS = ['grupo', 'group', 'auto', 'autos', 'veiculos']
/** Maximal length of a repeated unit that makes a password weak. */
const SHORT_UNIT = 4
/** Some Unicode characters fold to eighteen; longer text is cut. */
const MAX_FOLDED = 256
/** Minimal and maximal length of runs such as '123' or 'abc'. */
const RUN_LENGTHS = { min: 3, max: 16 }
const MAX_NAMED = 4

/** Words common in Brazilian passwords and in this trade. */
const COMMON_WORDS = new Set(
  `senha senhas forte fraca segura seguro secreta secreto nova novo minha meu longa longo mudar mude trocar troque teste
  testes acesso entrar entrada login usuario usuaria admin administrador administradora portal sistema empresa trabalho
  relatorio relatorios painel dados grupo loja lojas carro carros auto autos veiculo veiculos moto motos seminovos
  concessionaria concessionarias vendas venda vendedor vendedora oficina pecas hpd crm marketing gerente gerentes gerencia
  operador operadores administrativo slack financeiro diretoria fiat gac gwm honda hyundai hyun jeep omoda jaecoo omja
  toyota toyo volkswagen chevrolet nissan renault ford peugeot citroen byd bmw audi brasil brazil rio janeiro minas gerais
  parana espirito santo vitoria curitiba niteroi paulo bahia flamengo fluminense vasco botafogo corinthians palmeiras
  santos cruzeiro atletico gremio inter deus jesus cristo fiel amor vida familia casa feliz sucesso amigo amiga filho
  filha mae pai bebe princesa bom boa dia tarde noite bemvindo ola obrigado obrigada fevereiro marco abril maio junho julho
  agosto setembro outubro novembro dezembro segunda terca quarta quinta sexta sabado domingo verao inverno natal mestre
  chefe sol lua mar flor estrela gato cachorro futebol bola gol copa campeao maria joao jose ana pedro lucas gabriel carlos
  amo jan fev abr mai jun jul ago set out nov dez abc asd asdf qwe qwer qwerty zxc zxcv pass password`.split(
    /\s+/,
  ),
)
/** Connecting words that add no strength. */
const JOINING_WORDS = new Set(['da', 'de', 'do', 'das', 'dos', 'em', 'na', 'no', 'eu'])

/** Letters that a digit or symbol may stand for. */
const LOOK_ALIKES: Record<string, string> = {
  '0': 'o',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '€': 'e',
  '+': 't',
  '1': 'il',
  '!': 'il',
  '|': 'il',
}

/** Removes accents, lower-cases and cuts the text. */
export function foldCharacters(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().slice(0, MAX_FOLDED)
}

/** Replaces look-alike characters with letters; 1, ! and | may stand for i or l. */
export function replaceLookAlikes(text: string): string[] {
  return [0, 1].map((choice) =>
    [...text]
      .map((character) => LOOK_ALIKES[character]?.at(choice) ?? LOOK_ALIKES[character] ?? character)
      .join(''),
  )
}

/** Returns the repeated unit: 'abcabcabc' → 'abc'; undefined without repetition. */
export function findRepeatedUnit(text: string): string | undefined {
  const period = (text + text).indexOf(text, 1)
  return period < text.length ? text.slice(0, period) : undefined
}

/**
 * Finds guessable parts: the person's, the group's or the product's name, short repetitions, or all
 * parts of a password that consists only of common words, names, years and repetitions.
 * Letter case, accents and look-alikes (p4ti0) make no difference. Runs in linear time.
 * @returns an empty list for a good password, before the server's list of leaked ones
 */
export function findGuessableParts(password: string, about: PersonalWords): string[] {
  const plain = foldCharacters(password)
  const personalWord = findPersonalWord(plain, about)
  if (personalWord) return [personalWord]
  const unit = findRepeatedUnit(plain)
  if (unit !== undefined && unit.length <= SHORT_UNIT && plain.length > SHORT_UNIT) return [unit]
  return segmentPassword(plain, new Set(listNames(about).flatMap(splitWords)))
}

/** Formats the parts as a reason, without those of one or two letters; undefined without parts. */
export function formatGuessableParts(parts: readonly string[]): string | undefined {
  if (parts.length === 0) return undefined
  const long = parts.filter((part) => part.length >= MIN_WORD)
  if (long.length === 0) return 'é só uma repetição'
  const named = long.slice(0, MAX_NAMED).map((part) => `“${part}”`)
  const list = [named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' e ')
  return `contém ${list}`
}

function listNames({ email, groupName, names = [] }: PersonalWords): string[] {
  const [local = '', domain = ''] = email.split('@')
  return [local, domain.split('.')[0] ?? '', groupName, PRODUCT_NAME, ...names]
}

function splitWords(name: string): string[] {
  return foldCharacters(name)
    .split(/[^a-z]+/)
    .filter((word) => word.length >= MIN_WORD)
}

/** Finds a name of the person, group or product anywhere in a password, even separated: 'p-a-t-i-o'. */
function findPersonalWord(plain: string, { email, groupName }: PersonalWords): string | undefined {
  const [local = '', domain = ''] = foldCharacters(email).split('@')
  const names = [foldCharacters(groupName), foldCharacters(PRODUCT_NAME)]
  const parts = [...local.split(/[^a-z]+/), ...names.flatMap((name) => name.split(/[^a-z0-9]+/))]
  const wholes = [local, domain.split('.')[0] ?? '', ...names].map(stripSymbols)
  const readings = [plain, stripSymbols(plain), ...replaceLookAlikes(plain).map(stripSymbols)]
  return [...parts, ...wholes]
    .filter((word) => word.length >= MIN_PERSONAL_WORD && !ORDINARY_WORDS.includes(word))
    .find((word) => readings.some((reading) => reading.includes(word)))
}

function stripSymbols(text: string): string {
  return text.replace(/[^a-z0-9]/g, '')
}

/** A segmentation of the password's beginning; numbers of one or two digits are counted separately. */
interface Segmentation {
  parts: readonly string[]
  shortNumbers: number
  endsInNumber: boolean
}

/** Splits a password into words, years and runs, ignoring symbols; empty if anything else remains. */
function segmentPassword(plain: string, names: ReadonlySet<string>): string[] {
  const words = [...COMMON_WORDS, ...names]
  const best: (Segmentation | undefined)[] = [{ parts: [], shortNumbers: 0, endsInNumber: false }]
  for (let at = 0; at < plain.length; at++) {
    const head = best[at]
    if (!head) continue
    const offer = (length: number, next: Segmentation) => {
      const other = best[at + length]
      if (!other || computeCost(next) < computeCost(other)) best[at + length] = next
    }
    const add = (length: number) =>
      offer(length, { ...head, parts: [...head.parts, plain.slice(at, at + length)], endsInNumber: false })
    const character = plain[at] as string
    if (!/[a-z0-9]/.test(character)) offer(1, { ...head, endsInNumber: false })
    const isLetter = /[a-z]/.test(character) || character in LOOK_ALIKES
    for (const word of isLetter ? words : []) if (isWordAt(plain, at, word)) add(word.length)
    for (const word of JOINING_WORDS)
      if (plain.startsWith(word, at)) offer(word.length, { ...head, endsInNumber: false })
    for (let length = RUN_LENGTHS.min; length <= measureRun(plain, at); length++) add(length)
    if (head.endsInNumber) continue
    const digits = /^\d*/.exec(plain.slice(at, at + 4))?.[0] ?? ''
    if (/^(19|20)\d\d/.test(digits)) offer(4, { ...head, parts: [...head.parts, digits], endsInNumber: true })
    for (let length = 1; length <= Math.min(2, digits.length); length++)
      offer(length, { ...head, shortNumbers: head.shortNumbers + 1, endsInNumber: true })
  }
  const whole = best[plain.length]
  return whole && whole.parts.length > 0 && whole.shortNumbers <= whole.parts.length
    ? [...new Set(whole.parts)]
    : []
}

function computeCost({ parts, shortNumbers }: Segmentation): number {
  return 2 * shortNumbers + parts.length
}

function isWordAt(plain: string, at: number, word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const character = plain[at + index]
    const letter = word[index] as string
    if (character !== letter && !(character && LOOK_ALIKES[character]?.includes(letter))) return false
  }
  return true
}

/** Returns the length of the run at a position: '111', '789012', 'cba'. */
function measureRun(plain: string, at: number): number {
  const lengths = [0, 1, -1].map((step) => {
    let length = 1
    while (length < RUN_LENGTHS.max && isSuccessor(plain, at + length, step)) length++
    return length
  })
  return Math.max(...lengths)
}

function isSuccessor(plain: string, at: number, step: number): boolean {
  const found = plain.charCodeAt(at) - plain.charCodeAt(at - 1)
  // 0 follows 9 on keyboards.
  return found === step || (step !== 0 && found === -9 * step && /^\d\d$/.test(plain.slice(at - 1, at + 1)))
}
