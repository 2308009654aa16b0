import type { FigureFormat } from './data-set-format.ts'

/** A figure of a report: the sum of `of`, or `factor` × the sum of `of` ÷ the sum of `per`. */
export interface Metric {
  id: string
  label: string
  of: string
  per?: string
  factor?: number
  format: FigureFormat
}

/** Generates a measure as a multiple of another one of the same record, ± `noise` (a fraction). */
interface MeasureRule {
  name: string
  from: string
  times: number | 'price'
  noise: number
}

/** `main` and `second` are the additive metrics that the charts of the two pages draw. */
export interface AreaModel {
  area: string
  measures: readonly MeasureRule[]
  metrics: readonly Metric[]
  main: string
  second: string
}

const toMeasure = (name: string, from: string, times: MeasureRule['times'], noise: number) => {
  return { name, from, times, noise }
}
const toTotal = (id: string, label: string, format: FigureFormat = 'inteiro') => ({
  id,
  label,
  of: id,
  format,
})
const toRatio = (id: string, label: string, of: string, per: string, format: FigureFormat, factor = 1) => {
  return { id, label, of, per, format, factor }
}

/** 'volume' is a brand's size in a state and month, about 1 for an average brand in Rio de Janeiro. */
export const AREA_MODELS: readonly AreaModel[] = [
  {
    area: 'Vendas',
    measures: [
      toMeasure('unidades', 'volume', 18, 0.08),
      toMeasure('faturamento', 'unidades', 'price', 0.03),
      toMeasure('margem', 'faturamento', 0.074, 0.1),
      toMeasure('testDrives', 'unidades', 2.6, 0.12),
    ],
    metrics: [
      toTotal('unidades', 'Unidades vendidas'),
      toTotal('faturamento', 'Faturamento', 'reais'),
      toRatio('ticketMedio', 'Ticket médio', 'faturamento', 'unidades', 'reais'),
      toRatio('margemBruta', 'Margem bruta', 'margem', 'faturamento', 'percentual'),
      toRatio('conversaoTestDrive', 'Test-drives convertidos', 'unidades', 'testDrives', 'percentual'),
    ],
    main: 'unidades',
    second: 'faturamento',
  },
  {
    area: 'Oficina',
    measures: [
      toMeasure('ordens', 'volume', 132, 0.07),
      toMeasure('receitaPecas', 'ordens', 615, 0.06),
      toMeasure('receitaMaoDeObra', 'ordens', 398, 0.05),
      toMeasure('horas', 'ordens', 5.2, 0.09),
      toMeasure('retornos', 'ordens', 0.031, 0.2),
    ],
    metrics: [
      toTotal('ordens', 'Ordens de serviço'),
      toTotal('receitaPecas', 'Receita de peças', 'reais'),
      toTotal('receitaMaoDeObra', 'Mão de obra', 'reais'),
      toRatio('tempoMedio', 'Tempo médio', 'horas', 'ordens', 'horas'),
      toRatio('retrabalho', 'Retrabalho', 'retornos', 'ordens', 'percentual'),
    ],
    main: 'ordens',
    second: 'receitaPecas',
  },
  {
    area: 'HPD',
    measures: [
      toMeasure('disponiveis', 'volume', 940, 0.03),
      toMeasure('trabalhadas', 'disponiveis', 0.84, 0.05),
      toMeasure('vendidas', 'trabalhadas', 0.93, 0.06),
      toMeasure('diasDeTecnico', 'disponiveis', 1 / 7.2, 0.04),
    ],
    metrics: [
      toTotal('vendidas', 'Horas vendidas'),
      toTotal('disponiveis', 'Horas disponíveis'),
      toRatio('produtividade', 'Produtividade', 'trabalhadas', 'disponiveis', 'percentual'),
      toRatio('eficiencia', 'Eficiência', 'vendidas', 'trabalhadas', 'percentual'),
      // A month has 22 working days.
      toRatio('horasPorTecnico', 'Horas por técnico', 'vendidas', 'diasDeTecnico', 'horas', 22),
    ],
    main: 'vendidas',
    second: 'disponiveis',
  },
  {
    area: 'CRM',
    measures: [
      toMeasure('oportunidades', 'volume', 96, 0.1),
      toMeasure('contatos', 'oportunidades', 3.4, 0.08),
      toMeasure('ganhas', 'oportunidades', 0.187, 0.12),
      toMeasure('minutosResposta', 'oportunidades', 23, 0.15),
    ],
    metrics: [
      toTotal('oportunidades', 'Oportunidades'),
      toTotal('contatos', 'Contatos realizados'),
      toTotal('ganhas', 'Negócios ganhos'),
      toRatio('taxaConversao', 'Taxa de conversão', 'ganhas', 'oportunidades', 'percentual'),
      toRatio('primeiraResposta', 'Primeira resposta', 'minutosResposta', 'oportunidades', 'minutos'),
    ],
    main: 'oportunidades',
    second: 'ganhas',
  },
  {
    area: 'Marketing',
    measures: [
      toMeasure('leads', 'volume', 118, 0.12),
      toMeasure('investimento', 'leads', 46, 0.1),
      toMeasure('visitas', 'leads', 0.34, 0.1),
      toMeasure('cliques', 'leads', 24, 0.15),
    ],
    metrics: [
      toTotal('leads', 'Leads'),
      toTotal('investimento', 'Investimento', 'reais'),
      toRatio('custoPorLead', 'Custo por lead', 'investimento', 'leads', 'centavos'),
      toTotal('visitas', 'Visitas à loja'),
      toRatio('conversaoCliques', 'Leads por clique', 'leads', 'cliques', 'percentual'),
    ],
    main: 'leads',
    second: 'visitas',
  },
  {
    area: 'Gerentes',
    measures: [
      toMeasure('meta', 'volume', 2_350_000, 0.02),
      toMeasure('realizado', 'meta', 0.985, 0.11),
      toMeasure('despesas', 'realizado', 0.058, 0.08),
      toMeasure('respostas', 'volume', 42, 0.1),
      toMeasure('notas', 'respostas', 8.7, 0.03),
    ],
    metrics: [
      toTotal('realizado', 'Realizado', 'reais'),
      toTotal('meta', 'Meta', 'reais'),
      toRatio('atingimento', 'Atingimento da meta', 'realizado', 'meta', 'percentual'),
      toRatio('despesaRelativa', 'Despesas', 'despesas', 'realizado', 'percentual'),
      toRatio('satisfacao', 'Satisfação (0\u00a0a\u00a010)', 'notas', 'respostas', 'decimal'),
    ],
    main: 'realizado',
    second: 'meta',
  },
  {
    area: 'Operadores',
    measures: [
      toMeasure('recebidas', 'volume', 268, 0.09),
      toMeasure('atendimentos', 'recebidas', 0.94, 0.02),
      toMeasure('segundos', 'atendimentos', 287, 0.08),
      toMeasure('dentroDoPrazo', 'atendimentos', 0.83, 0.05),
      toMeasure('agendamentos', 'atendimentos', 0.21, 0.1),
    ],
    metrics: [
      toTotal('atendimentos', 'Atendimentos'),
      toRatio('tempoAtendimento', 'TMA', 'segundos', 'atendimentos', 'duracao'),
      toRatio('nivelServico', 'Nível de serviço', 'dentroDoPrazo', 'atendimentos', 'percentual'),
      toRatio('atendidas', 'Chamadas atendidas', 'atendimentos', 'recebidas', 'percentual'),
      toTotal('agendamentos', 'Agendamentos'),
    ],
    main: 'atendimentos',
    second: 'agendamentos',
  },
]

/** Finds the model of an area; undefined for one without a report. */
export function findAreaModel(area: string): AreaModel | undefined {
  return AREA_MODELS.find((model) => model.area === area)
}

/** Returns a metric by id. @throws for an unknown id */
export function getMetric(model: AreaModel, id: string): Metric {
  const metric = model.metrics.find((each) => each.id === id)
  if (!metric) throw new Error(`${model.area} has no metric ${id}`)
  return metric
}
