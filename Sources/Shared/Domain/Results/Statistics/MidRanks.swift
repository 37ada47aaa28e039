/// The ranks of values, where equal values share the mean of their ranks (mid-ranks).
struct MidRanks {
    /// Twice the mid-rank of each value, in the order of the values: whole numbers, so that all sums are exact.
    let doubled: [Int]
    /// Sizes of the groups of equal values, from the lowest value to the highest; 1 for a value without equals.
    let groups: [Int]

    init(_ values: [some Comparable]) {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var doubled = Array(repeating: 0, count: values.count)
        var groups: [Int] = []
        var first = 0
        while first < order.count {
            let end = order[first...].firstIndex { values[$0] > values[order[first]] } ?? order.count
            // The ranks first + 1 ... end, whose mean is half of first + 1 + end.
            for place in first..<end {
                doubled[order[place]] = first + 1 + end
            }
            groups.append(end - first)
            first = end
        }
        self.doubled = doubled
        self.groups = groups
    }
}
